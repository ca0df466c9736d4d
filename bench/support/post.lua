-- For wrk: posts what follows the address on its command line, as JSON.
function init(args)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.body = args[1]
end
