import { isIP } from 'node:net';

const PRIVATE_ENDINGS = ['.localhost', '.local', '.internal', '.home.arpa'];

/**
 * Whether anybody could own this name in the public DNS. Its owner could let it point at an address of ours, and a page
 * at that name would then read what we answer there.
 */
export function isPublicName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  if (isIP(name) !== 0 || name.startsWith('[')) return false;
  return name.includes('.') && !PRIVATE_ENDINGS.some((ending) => name.endsWith(ending));
}
