import { base, failBelow } from '../../stryker.base.mjs';

// Shutdown, telemetry and faults are tested in apps/api, which mutants of this package do not reach.
export default { ...base, ...failBelow(78) };
