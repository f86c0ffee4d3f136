import { StoreMisconfigured } from '@plant-store/domain';

/**
 * What a probe throws when it finds, on a connection that is open, that adds would succeed and must not: what they
 * acknowledge would be lost by a crash, or is not what is stored. Adds are refused until a probe finds it right again.
 */
export class UnsafeStore extends StoreMisconfigured {}
