export { type AddingStore, addPlantsWith } from './add-plants-with.ts';
