/** Thrown if a setting of backups is wrong in a way that only its use shows. */
export class BackupSettingError extends Error {
  constructor(name: string, message: string, options?: ErrorOptions) {
    super(`These settings are invalid:\n  ${name}: ${message}`, options);
  }
}
