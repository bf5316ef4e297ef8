package main

// What the program prints is what its page says.
func Example() {
	main()
	// Output:
	// 0.8 Same(c1, c2)
	// 0.8 Same(c6, c8)
	// 0.6 Same(c4, c7)
	// The clerk says that c4 is c5.
	// 0.9 Same(c4, c5)
	// 0.8 Same(c1, c2)
	// 0.8 Same(c6, c8)
	// 0.5 Same(c4, c7)
}
