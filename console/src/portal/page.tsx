import { mount } from '../parts/mount.tsx';
import { Portal } from './portal.tsx';

await mount(<Portal />);
