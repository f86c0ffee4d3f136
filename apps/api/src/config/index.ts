export { type Address, type Config, isProduction, readConfig } from './config.ts';
export { type JwtSettings, jwtVariables } from './jwt-settings.ts';
export { maskedUrl } from './masked.ts';
export { readCommandConfig } from './read-command-config.ts';
export { type Setting, type Settings, textOf } from './setting.ts';
export { settingGroups, settings } from './settings.ts';
export { allSettings, defaultOf, settingsHelp } from './settings-text.ts';
export { readUrlFile, withUrlFile } from './url-file.ts';
