// Stands in the egress before the network: where the network refuses or fails, it says so to the function, and prints
// whose request it was. The name of the cell is put in by the cell's configuration, and goes no further than here.
const CELL = 'x-quire-cell';
// The longest answer of a function takes 5 minutes and a half; nothing it asked for need take longer.
const MAX_REQUEST_MS = 6 * 60_000;

export default {
  async fetch(request) {
    const onward = new Request(request);
    onward.headers.delete(CELL);
    try {
      return await fetch(onward, { signal: AbortSignal.timeout(MAX_REQUEST_MS) });
    } catch (error) {
      const { protocol, host } = new URL(request.url);
      const to = `${protocol}//${host}`.slice(0, 300);
      console.log(JSON.stringify({ cell: request.headers.get(CELL), to, error: error.message }));
      const text = `Quire could not get to ${to}: it is not a public address, or it does not answer. The function's log says which.\n`;
      return new Response(text, { status: 502, headers: { 'x-quire-unreached': '1' } });
    }
  },
};
