/** Loaded before a server: the clock of its machine is five minutes ahead. */
const AHEAD_MS = 5 * 60_000;

const now = Date.now.bind(Date);
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now() + AHEAD_MS] : args, newTarget),
});
Date.now = () => now() + AHEAD_MS;
