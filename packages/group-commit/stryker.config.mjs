import { base, failBelow } from '../../stryker.base.mjs';

export default { ...base, ...failBelow(93) };
