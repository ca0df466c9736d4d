import { describe, expect, test } from 'bun:test';
import { AppError } from '../../../lib/errors.ts';
import { makeChallenge } from './challenge.ts';

const baseUrl = 'https://quire.example';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const readHeader = (error: AppError, url: string, pageOrigin?: string) =>
  makeChallenge(error, url, { baseUrl, pageOrigin })['www-authenticate'];

const missing = new AppError('UNAUTHORIZED', 'x');

describe('the header of a refused request', () => {
  test.each([
    ['/api/pages', ''],
    ['/mcp', '/mcp'],
    ['/p/team-wall/mcp', '/p/team-wall/mcp'],
    ['/p/team-wall/mcp/more', ''],
    ['/mcp/', ''],
  ])('at %s leads to the metadata at %j', (path, suffix) => {
    const expected = `Bearer resource_metadata="${baseUrl}${WELL_KNOWN}${suffix}"`;
    expect(readHeader(missing, `http://10.0.0.1:3000${path}?x=1`)).toBe(expected);
  });

  test('leads to the metadata of the page on its own host, but only for its MCP server', () => {
    const pageOrigin = 'https://p7.pages.example';
    const at = (path: string) => readHeader(missing, pageOrigin + path, pageOrigin);
    expect(at('/mcp')).toBe(`Bearer resource_metadata="${pageOrigin}${WELL_KNOWN}/mcp"`);
    expect(at('/api/pages/7/solo-data/x')).toBe(`Bearer resource_metadata="${baseUrl}${WELL_KNOWN}"`);
  });

  test('says what is wrong with the token', () => {
    const invalid = readHeader(new AppError('INVALID_TOKEN', 'x'), `${baseUrl}/mcp`);
    expect(invalid).toStartWith('Bearer error="invalid_token", resource_metadata=');
    const scope = new AppError('INSUFFICIENT_SCOPE', 'x', {}, { body: { scope: 'pages:write' } });
    expect(readHeader(scope, `${baseUrl}/mcp`)).toStartWith(
      'Bearer error="insufficient_scope", scope="pages:write", ',
    );
  });

  test('is missing if the request was refused for another reason, and does not need a valid URL', () => {
    expect(readHeader(new AppError('FORBIDDEN', 'x'), `${baseUrl}/mcp`)).toBeUndefined();
    expect(readHeader(missing, '/')).toStartWith('Bearer ');
  });
});
