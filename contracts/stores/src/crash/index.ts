export { type AddingStore, addPlantsWith } from './add-plants-with.ts';
export { type Adder, startAdder } from './adder.ts';
