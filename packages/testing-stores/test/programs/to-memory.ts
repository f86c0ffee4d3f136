import { openMemory } from '@plant-store/adapters-memory';
import { addPlantsWith } from '@plant-store/testing-stores';

addPlantsWith(() => openMemory());
