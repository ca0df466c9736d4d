/** The names that functions, their secrets and their modules can have. */

export const FUNCTION_SLUG = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
export const MAX_FUNCTION_SLUG = 100;
export const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,99}$/;
/** The name of the database in `env`, so no secret can have it. */
export const DATABASE_NAME = 'DB';

/** The owner of built-in functions. */
export const PLATFORM = 'system';

export const isFunctionSlug = (slug: string) => FUNCTION_SLUG.test(slug) && slug.length <= MAX_FUNCTION_SLUG;

export const isSecretName = (name: string) => SECRET_NAME.test(name) && name !== DATABASE_NAME;

/** The path of the main module, as other files import it and errors name it. */
export const MAIN_MODULE = 'function.ts';

export const MAX_FUNCTION_FILES = 200;
export const MAX_FUNCTION_PATH = 200;

/** Relative paths of modules that the compiler reads. It imports other files as text. */
const FUNCTION_PATH =
  /^(?!.*(?:^|\/)node_modules\/)(?:[\w@-][\w.@-]*\/)*[\w@-][\w.@-]*\.(?:[cm]?[jt]s|[jt]sx|jsonc?|toml|txt|css|html|md|sql|svg|wasm)$/;

export function isFunctionPath(path: string): boolean {
  return path.length <= MAX_FUNCTION_PATH && path !== MAIN_MODULE && FUNCTION_PATH.test(path);
}
