/** Why a package cannot be used. */
export class PackageError extends Error {
  constructor(
    message: string,
    /** True if the package may be usable later: the registry does not answer. */
    readonly isOurs = false,
    /** What the source says for the package that needs it, for example `npm:zod@4`. */
    readonly specifier?: string,
  ) {
    super(message);
  }
}
