/** Below the ports that the kernel assigns, in blocks. Each process of a test run has its own block. */
const FIRST_PORT = 20_000;
const BLOCK_SIZE = 200;
const BLOCKS = 60;

interface Block {
  first: number;
  next: number;
  /** Listening on this name claims the block: only one process can, until it ends. */
  claim: Bun.UnixSocketListener<undefined>;
}

let block: Block | undefined;

/** The first of this many consecutive ports that are free, and that no other test process uses. */
export function takePorts(count: number): number {
  block ??= claimBlock();
  for (let tries = 0; tries < 2 * BLOCK_SIZE; tries++) {
    if (block.next + count > block.first + BLOCK_SIZE) block.next = block.first;
    const first = block.next;
    block.next += count;
    if (Array.from({ length: count }, (_, index) => first + index).every(isFree)) return first;
  }
  throw new Error(`no ${count} ports in a row are free from ${block.first}`);
}

function claimBlock(): Block {
  for (let index = 0; index < BLOCKS; index++) {
    try {
      const claim = Bun.listen({ unix: `\0quire-test-ports-${index}`, socket: { data() {} } });
      claim.unref();
      const first = FIRST_PORT + index * BLOCK_SIZE;
      return { first, next: first, claim };
    } catch {
      // Another process has this block.
    }
  }
  throw new Error('all blocks of ports are taken');
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '0.0.0.0', port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
