export { type Config, ConfigError, readConfig } from './config.ts';
export { SETTING_NAMES } from './settings.ts';
