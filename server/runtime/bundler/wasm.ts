/** WebAssembly in a bundle. */

const MAGIC = Buffer.from('\0asm');

export const isWasm = (path: string) => /\.wasm$/i.test(path);

/**
 * The module that the compiler reads instead of a `.wasm` file. As in Workers, its default export is a
 * `WebAssembly.Module`. The runtime compiles it only while the bundle loads, and that is when this runs.
 */
export function wasmModule(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('base64');
  return `export default /* @__PURE__ */ new WebAssembly.Module(/* @__PURE__ */ Uint8Array.fromBase64("${text}"));\n`;
}

/** The bytes of a `.wasm` file among the files of a function, which are sent as Base64. Undefined if it is not one. */
export function readWasm(base64: string): Buffer | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.subarray(0, 4).equals(MAGIC) ? bytes : undefined;
}
