import { wasm } from '@prisma/client/runtime/query_compiler_small_bg.sqlite.wasm-base64.mjs';

/** The runtime compiles WebAssembly only while the function loads, so this is at the top level of a module. */
export default new WebAssembly.Module(Uint8Array.fromBase64(wasm));
