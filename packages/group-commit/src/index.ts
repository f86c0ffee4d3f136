export { type AddAll, type GatheredAdds, type GatherOptions, gatherAdds } from './group-commit.ts';
export { type ConnectionFigures, type StoreObserver, unobserved } from './store-observer.ts';
