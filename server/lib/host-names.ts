import { isIP } from 'node:net';

const PRIVATE_ENDINGS = ['.localhost', '.local', '.internal', '.home.arpa'];

/**
 * Whether someone could own this name in the public DNS. The owner could point it at one of our addresses, and a page
 * at that name could then read our responses.
 */
export function isPublicName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  if (isIP(name) !== 0 || name.startsWith('[')) return false;
  return name.includes('.') && !PRIVATE_ENDINGS.some((ending) => name.endsWith(ending));
}

/** True for https, and for http on this machine. */
export function isSecureUrl(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
