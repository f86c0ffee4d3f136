import type { Platform } from '../../src/platform.ts';

/** A platform that counts the timers which wait. */
export class WatchedPlatform implements Platform {
  watching = 0;
  sleeping = 0;
  readonly now: Platform['now'];
  readonly defer: Platform['defer'];
  readonly #platform: Platform;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.now = platform.now;
    this.defer = platform.defer;
  }

  readonly after: Platform['after'] = (ms, callback) => {
    this.watching += 1;
    let isOver = false;
    const end = () => {
      if (!isOver) this.watching -= 1;
      isOver = true;
    };
    const cancel = this.#platform.after(ms, () => {
      end();
      callback();
    });
    return () => {
      end();
      cancel();
    };
  };

  readonly sleep: Platform['sleep'] = async (ms) => {
    this.sleeping += 1;
    await this.#platform.sleep(ms);
    this.sleeping -= 1;
  };
}
