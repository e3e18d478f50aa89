-- wrk: POSTs the body in the file named first; prints what load.py reads.
local body

function init(arguments)
  body = io.open(arguments[1], "rb"):read("*a")
  wrk.method = "POST"
  wrk.body = body
  wrk.headers["Content-Type"] = "application/json"
end

function done(summary, latency, requests)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  print(string.format('result {"requests": %d, "seconds": %.6f, "refused": %d, "lost": %d, "p50_ms": %.4f, "p99_ms": %.4f}',
    summary.requests, summary.duration / 1e6, summary.errors.status, failed,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
