-- For wrk: POSTs the bodies of a file, one a line, in turn, and prints the run as one line of JSON.
--   wrk -s bench/messages.lua URL -- FILE FIRST
local bodies, at = {}, 0

function init(arguments)
  for line in io.lines(arguments[1]) do bodies[#bodies + 1] = line end
  at = tonumber(arguments[2])
end

function request()
  at = at % #bodies + 1
  return wrk.format("POST", nil, {["Content-Type"] = "application/json"}, bodies[at])
end

function done(summary, latency)
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    '\nresult {"requests":%d,"seconds":%.4f,"p50_ms":%.3f,"p99_ms":%.3f,"refused":%d,"lost":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, lost))
end
