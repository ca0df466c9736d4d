import { BlockList, isIP } from 'node:net';

/** Parses `10.0.0.0/8`, `::1/128` or a plain address; undefined if it is neither. */
export function parseBlock(
  text: string,
): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [address = '', prefixText, more] = text.split('/');
  const family = isIP(address) === 4 ? 'ipv4' : isIP(address) === 6 ? 'ipv6' : undefined;
  if (!family || more !== undefined) return undefined;
  const widest = family === 'ipv4' ? 32 : 128;
  if (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText)) return undefined;
  const prefix = prefixText === undefined ? widest : Number(prefixText);
  return prefix <= widest ? { address, prefix, family } : undefined;
}

/** Returns a function that checks whether an address is in one of these blocks. */
export function blockMatcher(blocks: string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const text of blocks) {
    const block = parseBlock(text);
    if (block) list.addSubnet(block.address, block.prefix, block.family);
  }
  return (address) => {
    const plain = unmapIPv4(address);
    const version = isIP(plain);
    return version !== 0 && list.check(plain, version === 4 ? 'ipv4' : 'ipv6');
  };
}

/** `::ffff:1.2.3.4` is the IPv4 address 1.2.3.4 seen through an IPv6 socket. */
export function unmapIPv4(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
}

/** The key for rate limits: an IPv4 address, or the /64 network that one IPv6 customer gets. */
export function limitKey(address: string): string {
  const plain = unmapIPv4(address);
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail = ''] = (plain.split('%')[0] ?? '').split('::');
  const left = head ? head.split(':') : [];
  const right = tail ? tail.split(':') : [];
  const groups = plain.includes('::')
    ? [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
    : left;
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
