import { replaysRecipe } from './replays-recipe.ts';

replaysRecipe('docs/recipes/add-an-error.md', 3);
