import { failBelow, withOwnTests } from '../../stryker.base.mjs';

// 78.67 was measured: shutdown, telemetry and faults are tested in apps/api, which mutants of this package do not reach.
export default { ...withOwnTests(import.meta.dirname), ...failBelow(78) };
