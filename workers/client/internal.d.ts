/** Modules of workerd that only modules of its own, and internal extensions, can import. */
declare module 'cloudflare-internal:d1-api' {
  interface Session {
    constructor: new (fetcher: unknown, constraint: null) => Session;
  }
  interface Client {
    fetcher: unknown;
    alwaysPrimarySession: Session;
    transaction?: unknown;
  }
  export default function makeBinding(inner: { fetcher: unknown }): Client;
}
declare module 'node-internal:async_hooks' {
  const hooks: {
    AsyncLocalStorage: new <Value>() => {
      run<Result>(value: Value | undefined, run: () => Result): Result;
      getStore(): Value | undefined;
    };
  };
  export default hooks;
}
