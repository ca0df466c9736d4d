/** “What do you want to make?” */
export { BUILD_SCREEN, forgetWish, WishBox, wished } from './box.tsx';
