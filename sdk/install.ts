import { loadAgentTools } from './agent-tools/load.ts';
import { listenForErrors } from './errors/listen.ts';
import { createPageFeatures } from './features/page-features.ts';
import { Permission } from './features/permission.ts';
import { PermissionDialog } from './features/permission-dialog.ts';
import { createPageFunctions } from './functions/page-functions.ts';
import { createPageLive } from './live/page-live.ts';
import { createPageForms, enhanceForms } from './page-forms.ts';
import { startPageSession } from './page-session.ts';
import { createPageUser } from './page-user.ts';
import { loadReload } from './reload/load.ts';
import { readSelf, type Self } from './self.ts';
import { replaceThrowingStorage } from './storage.ts';
import { createVisitor, type Visitor } from './visitor.ts';
import { replaceRefusedWorker } from './workers/replace.ts';

const INSTALLED = Symbol.for('quire');

/**
 * Defines the globals before any script of the author runs. Every bundle starts with it. `createMore` creates the globals
 * of the page's storage mode.
 */
export function install(
  createMore: (self: Self, visitor: Visitor) => Record<string, object> = () => ({}),
): void {
  // A script that puts a whole document of the page into this one runs the bundle again.
  if (Object.hasOwn(window, INSTALLED)) return;
  Object.defineProperty(window, INSTALLED, { value: true });
  const self = readSelf(document.currentScript as HTMLScriptElement);
  // The opaque origin of sandbox isolation.
  if (window.origin === 'null') {
    replaceThrowingStorage();
    replaceRefusedWorker(self);
  }
  const fetchWithSession = startPageSession(self);
  listenForErrors(self);
  const visitor = createVisitor(self);
  const permission = new Permission((answers) => new PermissionDialog(self, visitor, answers));
  const forms = createPageForms(self);
  const globals = {
    PageFeatures: createPageFeatures(self, permission),
    PageForms: forms,
    PageFunctions: createPageFunctions(self, fetchWithSession),
    PageLive: createPageLive(self),
    PageUser: createPageUser(visitor),
    ...createMore(self, visitor),
  };
  for (const [name, value] of Object.entries(globals)) {
    // A page can use these names for something of its own: `const PageUser = …` is an error otherwise.
    Object.defineProperty(window, name, {
      value: Object.freeze(value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  enhanceForms(self);
  loadAgentTools(self);
  loadReload(self);
}
