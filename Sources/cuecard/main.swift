print("cuecard")
