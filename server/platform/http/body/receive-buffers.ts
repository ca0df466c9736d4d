import { dlopen, FFIType, ptr } from 'bun:ffi';
import { readdirSync } from 'node:fs';

/** From Linux's `asm-generic/socket.h`. */
const SOL_SOCKET = 1;
const SO_RCVBUF = 8;
const SO_ACCEPTCONN = 30;

/** What the system keeps of a connection until it is read. The system doubles it. */
const BUFFER_BYTES = 64 * 1024;

/**
 * Limits how much of one connection is parsed without a pause: Bun parses all that the system has, which would grow to
 * megabytes, and the sender decides how much work a megabyte is. Connections take this limit from the socket on which
 * they are accepted. Bun has no setting for it, so this sets it for every listening socket of the process.
 */
export function limitReceiveBuffers(): void {
  const { int, pointer, u32 } = { int: FFIType.int, pointer: FFIType.ptr, u32: FFIType.u32 };
  const library = dlopen('libc.so.6', {
    getsockopt: { args: [int, int, int, pointer, pointer], returns: int },
    setsockopt: { args: [int, int, int, pointer, u32], returns: int },
  });
  const { getsockopt, setsockopt } = library.symbols;
  const size = new Int32Array([BUFFER_BYTES]);
  for (const descriptor of readdirSync('/proc/self/fd').map(Number)) {
    const isListening = new Int32Array(1);
    const length = new Uint32Array([isListening.byteLength]);
    const failed = getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, ptr(isListening), ptr(length)) !== 0;
    if (!failed && isListening[0]) setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, ptr(size), size.byteLength);
  }
  library.close();
}
