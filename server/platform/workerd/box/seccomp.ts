import { DENIED, LOOKED_AT, NONE } from './system-calls.ts';

/**
 * Makes the filter of system calls for boxes, as a program of classic BPF that the kernel runs before each call. It
 * names what is denied rather than what is allowed: which calls V8 and the C library make differs between processors
 * and changes with their versions, and a list that lacks one would end functions at random. The rest is up to the box.
 */

type Arch = 'x64' | 'arm64';

/** How the kernel tells processors apart. */
const AUDIT: Record<Arch, number> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/** From here on, calls of x86-64 mean those of x32, under other numbers. */
const X32_CALLS = 0x4000_0000;

/** What a filter sees: the number of the call, the processor, and the lower half of each argument. */
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
/** The C library tries an older call then. */
const ENOSYS = fail(38);

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;

/** All namespaces that a new process can be put into. */
const CLONE_NAMESPACES = 0x7e02_0000;
/** They type into a terminal as its user would. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** Changes nothing, and tells what is. */
const PERSONALITY_ASK = 0xffff_ffff;
const PERSONALITY_PLAIN = 0;

type Instruction = [code: number, value: number, ifTrue?: number, ifFalse?: number];

/** The filter for this processor, as the kernel reads it; undefined for a processor we do not know. */
export function systemCallFilter(
  options: { hasNetwork: boolean },
  arch: string = process.arch,
): Uint8Array | undefined {
  if (arch !== 'x64' && arch !== 'arm64') return undefined;
  const numberOf = (name: keyof typeof LOOKED_AT) => LOOKED_AT[name][arch === 'x64' ? 0 : 1];
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
    // Its flags lie in memory, where a filter cannot look.
    ...when(JUMP_EQUAL, numberOf('clone3'), ENOSYS),
    ...lookAt(numberOf('clone'), 0, when(JUMP_ANY_BIT, CLONE_NAMESPACES, EPERM)),
    ...lookAt(numberOf('socket'), 0, only(families)),
    ...lookAt(numberOf('socketpair'), 0, only([AF_UNIX])),
    ...lookAt(
      numberOf('ioctl'),
      1,
      [TIOCSTI, TIOCLINUX].flatMap((request) => when(JUMP_EQUAL, request, EPERM)),
    ),
    ...lookAt(numberOf('personality'), 0, only([PERSONALITY_PLAIN, PERSONALITY_ASK])),
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

/** Judges one call by an argument, and allows it when the rules say nothing. */
function lookAt(call: number, argument: number, rules: Instruction[]): Instruction[] {
  const body: Instruction[] = [[LOAD, argumentOffset(argument)], ...rules, [RETURN, ALLOW]];
  return [[JUMP_EQUAL, call, 0, body.length], ...body];
}

/** As `struct sock_filter`, little-endian like both processors. */
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
