import type { ProviderFailure } from '../../../contract/rules/provider-kinds.ts';
import { MAX_ERROR_LENGTH, ProviderError, readStatus, VendorFailure } from './failures.ts';

/** What vendors write when there is no money left: OpenAI, Anthropic, Gemini, OpenRouter, Mistral, DeepSeek. */
const MONEY =
  /insufficient[_ ](quota|balance|credit|fund)|credit balance|exceeded your current quota|billing|payment required|out of credits|not enough credits/i;
const REVOKED = /revoked|deactivated|disabled|expired|suspended|terminated/i;
const KEY = /api[ _-]?key|credential|authenticat/i;
const UNKNOWN_MODEL =
  /model.{0,200}(not[ _]found|not exist|not available|unknown|not supported|invalid|no such)|(unknown|invalid|no such|not[ _]found|not exist).{0,100}model/is;
const TOOLS = /tool|function.?call/i;
const CERTIFICATE = /CERT|TLS|SSL|SIGNATURE|ALTNAME|EPROTO/;
const UNREACHABLE =
  /ECONN|ENOTFOUND|EHOST|ENET|EAI_|ETIMEDOUT|EPIPE|Connection|FailedToOpenSocket|DNS|Timeout/i;

/**
 * Says why a call failed. It looks at what the vendor wrote, because many failures share a status, but never passes any
 * of it on.
 */
export function findReason(error: unknown): ProviderFailure {
  if (error instanceof ProviderError) return error.reason;
  const status = readStatus(error);
  return status === undefined ? reasonWithoutStatus(error) : reasonByStatus(status, readBody(error));
}

function reasonByStatus(status: number, body: string): ProviderFailure {
  if (status === 402 || (status < 500 && MONEY.test(body))) return 'money';
  if (status === 401) return REVOKED.test(body) ? 'revoked' : 'key';
  if (status === 403) return REVOKED.test(body) ? 'revoked' : 'forbidden';
  if (status === 404) return /model/i.test(body) ? 'model' : 'address';
  if (status === 429 || status === 529 || status === 503) return 'busy';
  if (status === 400 || status === 422) {
    if (TOOLS.test(body)) return 'tools';
    if (UNKNOWN_MODEL.test(body)) return 'model';
    return KEY.test(body) ? 'key' : 'refused';
  }
  if (status >= 500) return 'failed';
  return status < 400 || status === 405 || status === 410 ? 'address' : 'refused';
}

function reasonWithoutStatus(error: unknown): ProviderFailure {
  const codes = readCodes(error);
  if (/redirect/i.test(codes)) return 'address';
  if (CERTIFICATE.test(codes)) return 'certificate';
  if (UNREACHABLE.test(codes)) return 'unreachable';
  // Some vendors send their errors in the middle of a stream.
  return MONEY.test(readBody(error)) ? 'money' : 'response';
}

function readBody(error: unknown): string {
  if (error instanceof VendorFailure) return error.body;
  if (error instanceof Error) {
    const isAnswer = 'responseBody' in error && typeof error.responseBody === 'string';
    return isAnswer ? (error.responseBody as string).slice(0, MAX_ERROR_LENGTH) : '';
  }
  return (JSON.stringify(error) ?? '').slice(0, MAX_ERROR_LENGTH);
}

/** The codes of an error and of its causes. */
function readCodes(error: unknown): string {
  const codes: string[] = [];
  for (let link = error; link instanceof Error && codes.length < 5; link = link.cause)
    codes.push('code' in link && typeof link.code === 'string' ? link.code : '');
  return codes.join(' ');
}
