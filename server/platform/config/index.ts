export { type Config, ConfigError, readConfig } from './config.ts';
export { SECRET_FILE_NAMES } from './secret-files.ts';
export { SETTING_NAMES } from './settings.ts';
export { findFault, readSharedSettings } from './shared-settings.ts';
