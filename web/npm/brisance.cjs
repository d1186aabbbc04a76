// For `require`: the same function as the default export of brisance.js.
module.exports = async (options) => (await import("./brisance.js")).default(options);
