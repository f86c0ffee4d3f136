import type { Platform } from '../../src/platform.ts';

/** A platform that counts the timers which wait. */
export class WatchedPlatform implements Platform {
  watching = 0;
  sleeping = 0;
  readonly now: Platform['now'];
  readonly defer: Platform['defer'];
  readonly after: Platform['after'];
  readonly sleep: Platform['sleep'];

  constructor({ now, defer, after, sleep }: Platform) {
    this.now = now;
    this.defer = defer;
    this.after = (ms, callback) => {
      this.watching += 1;
      let end = () => {
        this.watching -= 1;
        end = () => {};
      };
      const cancel = after(ms, () => {
        end();
        callback();
      });
      return () => {
        end();
        cancel();
      };
    };
    this.sleep = async (ms) => {
      this.sleeping += 1;
      await sleep(ms);
      this.sleeping -= 1;
    };
  }
}
