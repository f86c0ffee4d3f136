import { addPlantsWith } from '../../../src/crash/index.ts';

addPlantsWith(({ place }: { readonly place: string }) => {
  throw new Error(`there is no store at ${place}`);
});
