import { WINDOWS } from '../../../../contract/checks/page-check.ts';
import { PublicError } from '../../../lib/errors.ts';
import type { Log } from '../../../platform/http/index.ts';
import { checkServer, SmtpError, sendTest } from '../../../platform/mail/index.ts';
import { ProviderError, type Providers } from '../../../platform/providers/index.ts';
import type { Connections } from '../../../platform/service-settings/index.ts';
import { type Browser, findChromium, NoBrowserError } from '../../../runtime/browser/index.ts';
import { PackageError, Registry } from '../../../runtime/bundler/index.ts';
import type { FetchExternal } from '../../../runtime/egress/index.ts';
import { type ProviderEntry, ProviderTestError, type ProviderTests } from '../service-sources.ts';
import { modelEntries } from './model-tests.ts';

/** The services that the tests use, and the settings that say what is configured. */
interface TestedServices {
  log: Log;
  browser: Browser;
  fetchExternal: FetchExternal;
  providers: Providers;
  connections: Connections;
  /** Asks the provider of single sign-on for its description. Returns its issuer. */
  checkLogin(): Promise<string>;
  config: {
    baseUrl: string;
    mail: Parameters<typeof checkServer>[0] | undefined;
    oidc: { name: string; issuer: string } | undefined;
    chromium: string | undefined;
    npmRegistry: { url: string | undefined } | undefined;
  };
}

/** Creates the tests of the external services that this server uses. */
export function createProviderTests(services: TestedServices): ProviderTests {
  return () => {
    const entries = {
      mail: mailEntry(services),
      'single-sign-on': loginEntry(services),
      ...modelEntries({ ...services, baseUrl: services.config.baseUrl }),
      browser: browserEntry(services),
      packages: packagesEntry(services),
    };
    for (const [name, entry] of Object.entries(entries)) explain(services, name, entry);
    return entries;
  };
}

/** Makes a test fail with words for the administrator, and writes the rest into the log. */
function explain({ log }: TestedServices, provider: string, entry: ProviderEntry): void {
  const { tryOut } = entry;
  entry.tryOut = async (options) => {
    try {
      return await tryOut(options);
    } catch (error) {
      log.warn({ err: error, provider }, 'the test of a provider failed');
      if (error instanceof ProviderTestError) throw error;
      throw isForPeople(error) ? new ProviderTestError(inWords(error)) : error;
    }
  };
}

const isForPeople = (error: unknown): error is Error =>
  [SmtpError, ProviderError, PackageError, PublicError].some((kind) => error instanceof kind);

/** The message of an error, or of its cause, which says more and has no secrets: see `toProviderError`. */
function inWords(error: Error): string {
  const hasCause = error instanceof ProviderError && error.cause instanceof Error;
  return hasCause ? `${error.message} (${(error.cause as Error).message})` : error.message;
}

const readHost = (url: string | undefined) => (url === undefined ? null : (URL.parse(url)?.host ?? null));

function mailEntry({ config: { mail, baseUrl } }: TestedServices): ProviderEntry {
  return {
    state: mail ? 'configured' : 'off',
    uses: mail?.from ?? '',
    host: readHost(mail?.smtpUrl),
    setting: 'QUIRE_SMTP_URL',
    async tryOut({ to }) {
      if (!mail) return '';
      if (to !== undefined) {
        await sendTest(mail, { to, baseUrl });
        return `The mail server has taken a test mail to ${to}.`;
      }
      const { isEncrypted, hasLogin } = await checkServer(mail);
      const encrypted = isEncrypted ? 'The connection is encrypted' : 'The connection is not encrypted';
      return `${encrypted}${hasLogin ? ', and the login works' : ''}. No mail was sent.`;
    },
  };
}

function loginEntry({ config: { oidc }, checkLogin }: TestedServices): ProviderEntry {
  return {
    state: oidc ? 'configured' : 'off',
    uses: oidc?.name ?? '',
    host: readHost(oidc?.issuer),
    setting: 'QUIRE_OIDC_ISSUER',
    async tryOut() {
      if (!oidc) return '';
      const issuer = await checkLogin().catch(({ message, cause }: Error) => {
        throw new ProviderTestError(cause instanceof Error ? cause.message : message);
      });
      return `${issuer} describes itself as it should. Log in with it to try the rest.`;
    },
  };
}

function browserEntry({ config, browser }: TestedServices): ProviderEntry {
  const program = (() => {
    try {
      return findChromium(config.chromium);
    } catch (error) {
      if (error instanceof NoBrowserError) return undefined;
      throw error;
    }
  })();
  return {
    state: program === undefined ? 'off' : 'configured',
    uses: program ?? '',
    host: null,
    setting: 'QUIRE_CHROMIUM',
    async tryOut({ userId, signal }) {
      const url = `${config.baseUrl}/healthz`;
      await browser.visit({ ownerId: userId, url, window: WINDOWS.desktop, signal });
      return 'It opened a page of this server.';
    },
  };
}

function packagesEntry({ config: { npmRegistry }, fetchExternal }: TestedServices): ProviderEntry {
  return {
    state: npmRegistry ? 'configured' : 'off',
    uses: npmRegistry && !npmRegistry.url ? 'the registry that npm uses on this machine' : '',
    host: readHost(npmRegistry?.url),
    setting: 'QUIRE_NPM_REGISTRY',
    async tryOut({ signal }) {
      if (!npmRegistry) return '';
      const registry = new Registry({ url: npmRegistry.url, fetchExternal });
      return `The registry at ${await registry.check(signal)} answers.`;
    },
  };
}
