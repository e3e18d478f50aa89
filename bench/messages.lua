-- For wrk: POSTs the bodies of a file, one a line, in turn, and prints the run as one line of JSON.
--   wrk -t1 -s bench/messages.lua URL -- FILE FIRST [heads]
-- With "heads" the result has the median and the mean of the replies' timings_ms.heads, which costs the client some
-- time.
local bodies, at = {}, 0
local threads = {}

function setup(thread) threads[1] = thread end

function init(arguments)
  for line in io.lines(arguments[1]) do bodies[#bodies + 1] = line end
  at = tonumber(arguments[2])
  if arguments[3] == "heads" then
    heads = {}
    response = function(status, headers, body) heads[#heads + 1] = tonumber(body:match('"heads":([%d.e-]+)')) end
  end
end

function request()
  at = at % #bodies + 1
  return wrk.format("POST", nil, {["Content-Type"] = "application/json"}, bodies[at])
end

function done(summary, latency)
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  local times, heads = threads[1]:get("heads"), ""
  if times then
    table.sort(times)
    local sum = 0
    for _, time in ipairs(times) do sum = sum + time end
    heads = string.format(',"heads_ms":%.4f,"heads_mean_ms":%.4f', times[math.floor(#times / 2) + 1], sum / #times)
  end
  io.write(string.format(
    '\nresult {"requests":%d,"seconds":%.4f,"p50_ms":%.3f,"p99_ms":%.3f,"refused":%d,"lost":%d%s}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, lost, heads))
end
