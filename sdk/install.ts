import { createPageFeatures } from './page-features.ts';
import { createPageFunctions } from './page-functions.ts';
import { startPageSession } from './page-session.ts';
import { createPageUser } from './page-user.ts';
import { createPermission } from './permission.ts';
import { openPermissionDialog } from './permission-dialog.ts';
import { readSelf, type Self } from './self.ts';
import { replaceThrowingStorage } from './storage.ts';
import { createVisitor, type Visitor } from './visitor.ts';

/**
 * What every bundle begins with: it puts the globals in place before any of the author's scripts runs. `createMore`
 * makes those of the page's storage mode.
 */
export function install(
  createMore: (self: Self, visitor: Visitor) => Record<string, object> = () => ({}),
): void {
  const self = readSelf(document.currentScript as HTMLScriptElement);
  replaceThrowingStorage();
  startPageSession(self);
  const visitor = createVisitor(self);
  const permission = createPermission((answers) => openPermissionDialog(self, visitor, answers));
  const globals = {
    PageFeatures: createPageFeatures(self, permission),
    PageFunctions: createPageFunctions(self),
    PageUser: createPageUser(visitor),
    ...createMore(self, visitor),
  };
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(window, name, { value: Object.freeze(value), enumerable: true });
  }
}
