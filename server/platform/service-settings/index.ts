/** How this server presents itself. */
export { InstanceSettings } from './instance.ts';
export { type Look, look, QUIRE_LOOK, setLook } from './look.ts';
/** What administrators set while the service runs. */
export { lockSetting, ServiceSettings } from './service-settings.ts';
/** Settings that are valid from a moment. */
export { forgetSettingOutside, settingSince } from './store.ts';
