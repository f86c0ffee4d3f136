import { describeMutants } from '@plant-store/contracts-kit/vitest';
import { Unavailable } from '@plant-store/group-commit';
import { engineContract } from '../src/index.ts';
import { type EngineMutation, isRefused, modelHarness } from '../src/model-engine.ts';

const correct: Readonly<Record<string, EngineMutation>> = {
  'returns `conflict` for taken keys': () => ({}),
  'looks up taken keys itself, and returns `conflict` only for locks': (_, engine) => ({
    writeOne: (item) => (isRefused(item) ? { refused: new RangeError('refused') } : engine.settleOne(item)),
  }),
  'throws Unavailable at once while the database hangs': (_, engine) => ({
    async reach() {
      await engine.tools.sleep(1);
      if (engine.database.isHanging || engine.isClosed) throw new Unavailable('no response');
    },
  }),
};

describeMutants(engineContract, correct, modelHarness);
