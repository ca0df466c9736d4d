/** The owner's module. The configuration of a cell adds it next to the shim. */
declare module 'function.js' {
  const handler: unknown;
  export default handler;
}
