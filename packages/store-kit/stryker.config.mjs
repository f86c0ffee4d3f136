export { base as default } from '../../stryker.base.mjs';
