import { RouterProvider } from '@tanstack/react-router';
import { mount } from './parts/mount.tsx';
import { router } from './router.tsx';

await mount(<RouterProvider router={router} />);
