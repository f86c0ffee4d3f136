/** How many bytes of bodies are read in a turn of the event loop: at 140 ns for the worst byte of JSON, some 40 ms. */
const BYTES_A_TURN = 262_144;

/** Whether a turn is over is asked only after so many: a timer for each turn would cost more than most turns. */
const SELDOM = BYTES_A_TURN / 16;

/** Does work that takes time in proportion to the bytes of a body, at once or in a later turn of the event loop. */
export type InTurn = (bytes: number, work: () => void) => void;

/**
 * Spreads work over turns of the event loop, in the order in which it comes: bodies that are complete together must not hold
 * up all other clients until the last of them is read. A turn does at least one piece of work, however large.
 */
export function spreadOverTurns(): InTurn {
  const waiting: { readonly bytes: number; readonly work: () => void }[] = [];
  let spent = 0;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(goOn);
  }

  function goOn(): void {
    isScheduled = false;
    // What has arrived in this turn may have taken its share already.
    let left = spent > SELDOM ? 0 : BYTES_A_TURN;
    spent = 0;
    for (let next = waiting[0]; next && left > 0; next = waiting[0]) {
      if (spent > 0 && next.bytes > left) break;
      waiting.shift();
      left -= next.bytes;
      spent += next.bytes;
      next.work();
    }
    if (spent > 0 || waiting.length > 0) schedule();
  }

  return (bytes, work) => {
    if (waiting.length > 0 || (spent > 0 && spent + bytes > BYTES_A_TURN)) {
      waiting.push({ bytes, work });
      schedule();
      return;
    }
    spent += bytes;
    if (spent > SELDOM) schedule();
    work();
  };
}
