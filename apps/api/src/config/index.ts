export { type Config, readConfig } from './config.ts';
export { defaultOf, metadataOf } from './setting.ts';
export { type Settings, settings } from './settings.ts';
export { maskedUrl, readUrlFile } from './urls.ts';
