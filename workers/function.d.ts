/** The owner's module, which the configuration of a cell puts beside the shim. */
declare module 'function.js' {
  const handler: unknown;
  export default handler;
}
