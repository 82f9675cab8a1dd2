export { Page } from "./memory.mjs";
