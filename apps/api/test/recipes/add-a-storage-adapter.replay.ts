import { replaysRecipe } from './replays-recipe.ts';

replaysRecipe('docs/recipes/add-a-storage-adapter.md', 7);
