import { DENIED, LOOKED_AT, NONE } from './system-calls.ts';

/**
 * Builds the system call filter for boxes, as a classic BPF program that the kernel runs before each call. It lists
 * what is denied, not what is allowed: the calls that V8 and the C library make depend on the processor and on their
 * versions, and a missing entry would kill functions at random. The box itself handles the rest.
 */

type Arch = 'x64' | 'arm64';

/** The kernel's number for each processor architecture. */
const AUDIT: Record<Arch, number> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/** From this number on, x86-64 calls are x32 calls, which would bypass the filter. */
const X32_CALLS = 0x4000_0000;

/** The input of a filter: the call number, the architecture, and the lower half of each argument. */
const CALL_OFFSET = 0;
const ARCH_OFFSET = 4;
const argumentOffset = (index: number) => 16 + 8 * index;

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const fail = (errno: number) => 0x0005_0000 | errno;
const EPERM = fail(1);
/** Makes the C library fall back to an older call. */
const ENOSYS = fail(38);

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;

/** All namespaces that a new process can be put into. */
const CLONE_NAMESPACES = 0x7e02_0000;
/** These ioctls inject input into a terminal as if its user had typed it. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** Only queries the current personality. */
const PERSONALITY_ASK = 0xffff_ffff;
const PERSONALITY_PLAIN = 0;

type Instruction = [code: number, value: number, ifTrue?: number, ifFalse?: number];

/** The filter for this processor, in the kernel's format. Undefined for an unknown processor. */
export function systemCallFilter(
  options: { hasNetwork: boolean },
  arch: string = process.arch,
): Uint8Array | undefined {
  if (arch !== 'x64' && arch !== 'arm64') return undefined;
  const findNumber = (name: keyof typeof LOOKED_AT) => LOOKED_AT[name][arch === 'x64' ? 0 : 1];
  const denied = Object.values(DENIED)
    .map(([x64, arm64]) => (arch === 'x64' ? x64 : arm64))
    .filter((number) => number !== NONE);
  const families = options.hasNetwork ? [AF_UNIX, AF_INET, AF_INET6] : [AF_UNIX];
  return assemble([
    [LOAD, ARCH_OFFSET],
    ...unless(JUMP_EQUAL, AUDIT[arch], KILL_PROCESS),
    [LOAD, CALL_OFFSET],
    ...(arch === 'x64' ? when(JUMP_AT_LEAST, X32_CALLS, EPERM) : []),
    ...denied.flatMap((number) => when(JUMP_EQUAL, number, EPERM)),
    // The flags of `clone3` are in memory, which a filter cannot read.
    ...when(JUMP_EQUAL, findNumber('clone3'), ENOSYS),
    ...lookAt(findNumber('clone'), 0, when(JUMP_ANY_BIT, CLONE_NAMESPACES, EPERM)),
    ...lookAt(findNumber('socket'), 0, only(families)),
    ...lookAt(findNumber('socketpair'), 0, only([AF_UNIX])),
    ...lookAt(
      findNumber('ioctl'),
      1,
      [TIOCSTI, TIOCLINUX].flatMap((request) => when(JUMP_EQUAL, request, EPERM)),
    ),
    ...lookAt(findNumber('personality'), 0, only([PERSONALITY_PLAIN, PERSONALITY_ASK])),
    [RETURN, ALLOW],
  ]);
}

function when(jump: number, value: number, result: number): Instruction[] {
  return [
    [jump, value, 0, 1],
    [RETURN, result],
  ];
}

function unless(jump: number, value: number, result: number): Instruction[] {
  return [
    [jump, value, 1, 0],
    [RETURN, result],
  ];
}

function only(values: number[]): Instruction[] {
  return [...values.flatMap((value) => when(JUMP_EQUAL, value, ALLOW)), [RETURN, EPERM]];
}

/** Applies rules to one argument of a call. Allows the call if no rule matches. */
function lookAt(call: number, argument: number, rules: Instruction[]): Instruction[] {
  const body: Instruction[] = [[LOAD, argumentOffset(argument)], ...rules, [RETURN, ALLOW]];
  return [[JUMP_EQUAL, call, 0, body.length], ...body];
}

/** Writes a program as `struct sock_filter`, little-endian like both processors. */
function assemble(program: Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(8 * program.length));
  for (const [index, [code, value, ifTrue = 0, ifFalse = 0]] of program.entries()) {
    bytes.setUint16(8 * index, code, true);
    bytes.setUint8(8 * index + 2, ifTrue);
    bytes.setUint8(8 * index + 3, ifFalse);
    bytes.setUint32(8 * index + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
