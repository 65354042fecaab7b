// shared by the tests
