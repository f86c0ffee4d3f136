import { addPlantsWith } from '@plant-store/testing-stores';

addPlantsWith(({ place }: { readonly place: string }) => {
  throw new Error(`there is no store at ${place}`);
});
