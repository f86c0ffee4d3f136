export { type Config, readConfig } from './config.ts';
export type { JwtSettings } from './jwt.ts';
export { maskedUrl } from './masked.ts';
export { defaultOf, metadataOf } from './setting.ts';
export { type Settings, settings } from './settings.ts';
export { readUrlFile } from './url-file.ts';
