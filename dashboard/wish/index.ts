/** “What do you want to make?” */
export { BUILD_SCREEN, WishBox, wished } from './box.tsx';
